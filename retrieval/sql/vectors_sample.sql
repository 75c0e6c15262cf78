-- Questions that lie between passages, as real ones do: three parts of one passage, one part of another.
select l2_normalize(a.embedding + a.embedding + a.embedding + b.embedding)::text
from (select embedding, row_number() over () as n from {partition} tablesample bernoulli ({percent}) limit {limit}) a
join (select embedding, row_number() over () as n from {partition} tablesample bernoulli ({percent}) limit {limit}) b
  on b.n = {limit} + 1 - a.n
