"""The pages that the console's benchmark asks for: every list, and one of everything that a list leads to.

Names in braces are of rows that the workspace has (`config.console_work.landmarks`).
"""

from __future__ import annotations

FAR = 1_000_000
"""A page number beyond the end: the last page is shown."""
PAGES: tuple[tuple[str, str], ...] = (
    ("overview", ""),
    ("overview, 28 days", "?days=28"),
    ("turns", "turns/?days=28"),
    ("turns, page 2", "turns/?days=28&page=2"),
    ("turns, last page", f"turns/?days=28&page={FAR}"),
    ("turns, unanswered", "turns/?about=unanswered&days=28"),
    ("turns, slow", "turns/?about=slow&days=28"),
    ("unanswered questions", "questions/?days=28"),
    ("conversations", "conversations/"),
    ("conversations, page 2", "conversations/?page=2"),
    ("conversations, last page", f"conversations/?page={FAR}"),
    ("conversations, flagged", "conversations/?verdict=flagged"),
    ("conversations, found often", "conversations/?q=keep"),
    ("conversations, found never", "conversations/?q=submarine"),
    ("a conversation", "conversations/{session}/"),
    ("documents", "documents/"),
    ("documents, page 2", "documents/?page=2"),
    ("documents, last page", f"documents/?page={FAR}"),
    ("documents, failed", "documents/?state=failed"),
    ("documents, found", "documents/?q=rules"),
    ("a document", "documents/{document}/"),
    ("a document's readers", "documents/{document}/seers"),
    ("contamination", "contamination/?days=90"),
    ("contamination, page 2", "contamination/?days=90&page=2"),
    ("contamination, confirmed", "contamination/?days=90&state=confirmed"),
    ("contamination, last page", f"contamination/?days=90&page={FAR}"),
    ("audit log", "audit-log/"),
    ("audit log, far back", "audit-log/?before=1000200"),
    ("audit log, by somebody", "audit-log/?who=librarian7"),
    ("members", "members/"),
    ("access", "access/"),
    ("people", "access/people/"),
    ("people, found", "access/people/?q=reader+77"),
    ("what somebody sees", "access/seen/?as=anonymous"),
    ("keys", "keys/"),
    ("webhooks", "webhooks/"),
    ("usage", "usage/?days=90"),
    ("data", "data/"),
    ("policy", "policy/"),
    ("prompts", "prompts/"),
    ("what-if replays", "what-if/"),
    ("a what-if replay", "what-if/{replay}/"),
    ("a what-if replay, last page", f"what-if/{{replay}}/?page={FAR}"),
    ("a new what-if replay", "what-if/new"),
    ("evaluations", "evaluations/"),
    ("evaluations, all", "evaluations/all"),
    ("an evaluation", "evaluations/{run}/"),
    ("an evaluation against another", "evaluations/{run}/against/{earlier}/"),
    ("a follow-up set", "evaluations/sets/{set}/"),
    ("search", "search/"),
    ("search, why not", "search/?q=how+long+are+books+kept&why={document}"),
    ("staff: tenants", "/staff/"),
    ("staff: a tenant", "/staff/tenants/{tenant}/"),
    ("staff: leakage", "/staff/leakage/"),
    ("staff: isolation", "/staff/isolation/"),
    ("staff: audit logs", "/staff/audit-logs/"),
)
"""A name, and an address below the workspace's console; from the root where it begins with a slash.

The health page of staff is not among them: it waits for the answers of parts that do not run here.
"""
