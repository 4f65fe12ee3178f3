"""A class in the room: what its phones are told and send, over routes of the server, without a Streamlit run.

`join` has the routes and the page of a phone (`phone.js`, `phone.css`), `asked` says what a room asks, `told` what a
phone learns of it, `live` who is there and who has to hear of a change, `address` where phones reach this machine.
"""
