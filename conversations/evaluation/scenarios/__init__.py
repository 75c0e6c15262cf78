"""Long conversations, written down with what a careful person would search for at every turn, held for real."""
