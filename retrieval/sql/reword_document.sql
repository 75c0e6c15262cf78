-- The words of a document's passages in another language; as stage_chunks writes them.
update retrieval_chunk c
set tsv = setweight(
        to_tsvector(%(language)s::regconfig, array_to_string(c.heading_path, ' ')), 'C'
    ) || to_tsvector(%(language)s::regconfig, c.text)
where c.tenant_id = %(tenant_id)s and c.document_id = %(document_id)s
