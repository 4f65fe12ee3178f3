"""What the phones of a class receive and send, over routes of the server, without a Streamlit run.

`join` has the routes and the page (`phone.js`, `phone.css`), `broadcast` what a phone is sent of its room, `address`
how phones reach this machine, `guesses` slows down whoever tries codes.
"""
