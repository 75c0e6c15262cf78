"""Addresses of documents, below `/api/v1/`."""

from __future__ import annotations

from django.urls import path

from retrieval.api import corpora, documents, embedding_models, grants, imports, search

urlpatterns = [
    path("corpora", corpora.Corpora.as_view()),
    path("corpora/<uuid:corpus_id>", corpora.CorpusDetail.as_view()),
    path("corpora/<uuid:corpus_id>/documents", documents.CorpusDocuments.as_view()),
    path("corpora/<uuid:corpus_id>/pages", imports.CorpusPages.as_view()),
    path("corpora/<uuid:corpus_id>/sitemaps", imports.CorpusSitemaps.as_view()),
    path("corpora/<uuid:corpus_id>/embedding-model", embedding_models.CorpusModel.as_view()),
    path("corpora/<uuid:corpus_id>/embedding-model/keep", embedding_models.CorpusModelKept.as_view()),
    path("corpora/<uuid:corpus_id>/access", grants.CorpusSeers.as_view()),
    path("documents", documents.Documents.as_view()),
    path("documents/<uuid:document_id>", documents.DocumentDetail.as_view()),
    path("documents/<uuid:document_id>/file", documents.DocumentFile.as_view()),
    path("documents/<uuid:document_id>/retry", documents.DocumentRetry.as_view()),
    path("documents/<uuid:document_id>/refresh", documents.DocumentRefresh.as_view()),
    path("documents/<uuid:document_id>/access", grants.DocumentSeers.as_view()),
    path("imports", imports.Imports.as_view()),
    path("imports/<uuid:import_id>", imports.ImportDetail.as_view()),
    path("access", grants.Grants.as_view()),
    path("search", search.Search.as_view()),
    path("passages/<uuid:passage_id>", search.PassageDetail.as_view()),
]
