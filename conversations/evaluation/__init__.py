"""Follow-up sets run through the real pipeline: what is asked, what came back, how good it is, and the gates."""
