"""Every change to Streamlit, uvicorn or asyncio at run time: one module each.

A module says what breaks without it and where upstream discusses it, lists in `RELIES_ON` which undocumented names of
which files it needs, and has a test that fails without it, in the folder of the same name. `make canary` looks for the
names in the newest Streamlit and runs the tests against it.
"""
