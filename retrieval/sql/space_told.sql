-- Where the vectors of a space `s` are, as `layout.Space.read` reads it.
s.id::text || '/' || s.placement || '/' || coalesce(s.search_width, 0) || '/' || s.dimensions
