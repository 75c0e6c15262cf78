-- Write passages of a generation that no search sees yet, with their words in the language of the corpus.
-- Headings weigh twice as much as text (C against D).
insert into retrieval_chunk (
    tenant_id, id, document_id, generation, ordinal, text, heading_path, page,
    span_start, span_end, token_count, tsv
)
select %(tenant_id)s, r.id, %(document_id)s, %(generation)s, r.ordinal, r.text,
       array(select jsonb_array_elements_text(r.heading_path)), r.page, r.span_start, r.span_end, r.token_count,
       setweight(
           to_tsvector(
               %(language)s::regconfig,
               (select coalesce(string_agg(h, ' '), '') from jsonb_array_elements_text(r.heading_path) h)
           ),
           'C'
       ) || to_tsvector(%(language)s::regconfig, r.text)
from jsonb_to_recordset(%(chunks)s::jsonb) as r (
    id uuid, ordinal integer, text text, heading_path jsonb, page integer,
    span_start integer, span_end integer, token_count integer
)
