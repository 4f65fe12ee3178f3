"""What the components share: their Python helper, and the scripts and styles that go before their own."""
