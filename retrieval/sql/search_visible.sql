-- Whether a vector `v` of a space is of a document that is permitted, asked one vector at a time. It is no join and
-- its document comes first ("offset 0"): otherwise the planner would begin at all permitted documents.
coalesce((
    select d.corpus_id in (select c.id from corpora c where c.space_id = '{space_id}')
       and (
           %(sees_all)s::boolean
           or (not d.restricted and d.corpus_id in (select g.id from granted_corpora g))
           or d.id in (select g.id from granted_documents g)
       )
       {filters}
    from (
        select d.id, d.corpus_id, d.restricted {columns}
        from retrieval_document d
        where d.tenant_id = %(tenant_id)s::uuid and d.id = v.document_id and d.generation = v.generation
        offset 0
    ) d
), false)
