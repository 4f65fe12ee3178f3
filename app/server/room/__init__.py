"""A class in the room: what its phones receive and send, over routes of the server, without a Streamlit run.

`join` has the routes and the phone's page (`phone.js`, `phone.css`), `asked` the current question of a room,
`broadcast` what a phone is sent of it, `live` presence and notification of changes, `address` how phones reach this
machine.
"""
