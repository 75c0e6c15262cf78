"""What every REST door is made of: who calls, what they may do, one error shape, pages, versions, repeats."""
