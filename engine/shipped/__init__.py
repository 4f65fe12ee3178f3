"""Models shipped with the program, trained on 25 MB of Korean by `make models`."""
