and (cardinality(%(document_ids)s::uuid[]) = 0 or d.id = any(%(document_ids)s::uuid[]))
and (cardinality(%(tags)s::varchar[]) = 0 or d.tags && %(tags)s::varchar[])
and (%(uploaded_from)s::timestamptz is null or d.uploaded_at >= %(uploaded_from)s::timestamptz)
and (%(uploaded_until)s::timestamptz is null or d.uploaded_at < %(uploaded_until)s::timestamptz)
