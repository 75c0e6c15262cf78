"""The second lock of the wall: a PostgreSQL engine that tells the database for whom it works."""
