"""What a user claims was said in this conversation, and what the record says of it.

A claim is read off the message; the record of the session decides, and the answer opens with what it decided.
"""

from conversations.domain.claims.record import Recollection, Verdict, claimed, recollect
from conversations.domain.claims.spoken import Claim, claim_in

__all__ = ["Claim", "Recollection", "Verdict", "claim_in", "claimed", "recollect"]
