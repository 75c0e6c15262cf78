-- What is checked only at commit, this transaction's references, is checked now, and the tenant's row is shared now:
-- the row locks that this takes must come before the lock of the audit log. Taken at commit, while the log is held,
-- they would meet somebody who holds such a row and waits for the log.
set constraints all immediate;
set constraints all deferred;
select from tenants_tenant where id = %(tenant)s for key share;
