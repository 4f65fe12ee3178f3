"""The page Glossary."""
