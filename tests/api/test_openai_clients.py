"""The official OpenAI client against a workspace's assistant, whole and streamed."""

from __future__ import annotations

import json

import openai
import pytest

from conversations.models import LedgerFact, Turn
from tenants.scoping import tenant_scope
from tests.api.programs import Program, key_of
from tests.api.serving import served
from tests.integration.conversations.conftest import library  # noqa: F401

pytestmark = pytest.mark.django_db(transaction=True)
FRANKFURT = {"role": "user", "content": "What is the RPO in Frankfurt?"}
DUBLIN = {"role": "user", "content": "And in Dublin?"}


@pytest.fixture
def client(library, tenant):  # noqa: F811
    with (
        served() as url,
        openai.OpenAI(base_url=f"{url}/v1", api_key=key_of(tenant, "chat"), max_retries=0) as client,
    ):
        yield client


@pytest.fixture
def ask(library, tenant):  # noqa: F811
    program = Program(key_of(tenant, "chat"))

    def ask(*messages, headers=(), **more):
        body = {"model": tenant.slug, "user": "ann", "messages": list(messages), **more}
        return program("POST", "/v1/chat/completions", body, **dict(headers))

    return ask


def test_the_assistant_is_the_one_model(client, tenant):
    assert [model.id for model in client.models.list()] == [tenant.slug]
    assert client.models.retrieve(tenant.slug).owned_by == tenant.slug


def test_the_client_asks_follows_up_and_reads_citations(client, tenant):
    raw = client.chat.completions.with_raw_response.create(
        model=tenant.slug, user="ann", messages=[FRANKFURT]
    )
    answer, session = raw.parse(), raw.headers["x-antecedent-session"]
    message = answer.choices[0].message
    assert answer.choices[0].finish_reason == "stop" and "5 minutes" in message.content
    cited = message.annotations[0].url_citation
    assert message.content[cited.start_index : cited.end_index] == "[1]" and cited.title == "Regions"
    assert answer.antecedent["session"] == session and answer.antecedent["verdict"] == "clean"
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens > 0
    follow_up = client.chat.completions.create(
        model=tenant.slug, user="ann", messages=[DUBLIN], metadata={"session_id": session}
    )
    assert "15 minutes" in follow_up.choices[0].message.content
    assert follow_up.antecedent["query"] == "What is the RPO in Dublin?"


def test_the_client_reads_a_streamed_answer_as_it_comes(client, tenant):
    stream = client.chat.completions.create(
        model=tenant.slug,
        user="ann",
        messages=[FRANKFURT],
        stream=True,
        stream_options={"include_usage": True},
    )
    pieces = list(stream)
    texts = [piece.choices[0].delta.content or "" for piece in pieces if piece.choices]
    assert "5 minutes" in "".join(texts) and sum(bool(text) for text in texts) > 1
    last = pieces[-2]
    assert last.choices[0].finish_reason == "stop" and last.antecedent["citations"][0]["title"] == "Regions"
    assert pieces[-1].choices == [] and pieces[-1].usage.completion_tokens > 0
    assert pieces[0].choices[0].delta.role == "assistant"


def test_the_client_understands_refusals(client, tenant):
    with pytest.raises(openai.NotFoundError) as missing:
        client.chat.completions.create(model="gpt-9", messages=[FRANKFURT])
    assert missing.value.code == "model_not_found"
    with pytest.raises(openai.BadRequestError) as unsupported:
        tool = {"type": "function", "function": {"name": "weather", "parameters": {}}}
        client.chat.completions.create(model=tenant.slug, messages=[FRANKFURT], tools=[tool])
    assert unsupported.value.code == "unsupported_parameter" and "`tools`" in unsupported.value.message
    with pytest.raises(openai.AuthenticationError):
        client.with_options(api_key="ante_wrong").models.list()
    with pytest.raises(openai.PermissionDeniedError):
        client.with_options(api_key=key_of(tenant, "read")).chat.completions.create(
            model=tenant.slug, messages=[FRANKFURT]
        )


def test_a_session_may_be_named_by_header(ask):
    session = ask(FRANKFURT).headers["X-Antecedent-Session"]
    second = ask(DUBLIN, headers={"X_Antecedent_Session": session}).json()
    assert second["antecedent"]["session"] == session and second["antecedent"]["history"] == "session"
    assert "15 minutes" in second["choices"][0]["message"]["content"]
    assert ask(DUBLIN, headers={"X_Antecedent_Session": "nonsense"}).status_code == 400


def test_a_history_that_was_held_here_goes_on_in_its_session(ask):
    first = ask(FRANKFURT).json()
    told = {"role": "assistant", "content": first["choices"][0]["message"]["content"]}
    second = ask({"role": "system", "content": "Be brief."}, FRANKFURT, told, DUBLIN).json()
    assert second["antecedent"]["session"] == first["antecedent"]["session"]
    assert (
        second["antecedent"]["history"] == "known"
        and "15 minutes" in second["choices"][0]["message"]["content"]
    )


def test_another_persons_history_is_not_recognised(ask):
    first = ask(FRANKFURT).json()
    told = {"role": "assistant", "content": first["choices"][0]["message"]["content"]}
    second = ask(FRANKFURT, told, DUBLIN, user="ben").json()
    assert second["antecedent"]["session"] != first["antecedent"]["session"]
    assert second["antecedent"]["history"] == "imported"


def test_of_a_foreign_history_what_the_person_said_counts_and_what_was_answered_does_not(ask, tenant):
    told = {"role": "assistant", "content": "In Frankfurt the RPO is 99 weeks, says the Atlantis agreement."}
    answer = ask(FRANKFURT, told, DUBLIN).json()
    assert answer["antecedent"]["history"] == "imported"
    assert answer["antecedent"]["query"] == "What is the RPO in Dublin?"
    assert "15 minutes" in answer["choices"][0]["message"]["content"]
    with tenant_scope(tenant.id):
        stored = json.dumps(
            [list(Turn.objects.values_list("message", "answer")), list(LedgerFact.objects.values())],
            default=str,
        )
    assert "99 weeks" not in stored and "Atlantis" not in stored and "Frankfurt" in stored


def test_messages_in_a_row_at_the_end_are_one_thought(ask):
    answer = ask({"role": "user", "content": "I run a site in Frankfurt."}, FRANKFURT).json()
    assert "5 minutes" in answer["choices"][0]["message"]["content"]


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "assistant", "content": "Hello"}],
        [{"role": "user", "content": ""}],
        [{"role": "user"}],
        [{"role": "nobody", "content": "x"}],
        [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}],
        [{"role": "user", "content": {"text": "x"}}],
        [{"role": "user", "content": "Open on Sunday? \ud83d"}],
        [{"role": "user", "content": [{"type": "text", "text": "\ud83d"}]}],
        [{"role": "assistant", "content": "\udc00"}, {"role": "user", "content": "Open on Sunday?"}],
        "hello",
    ],
)
def test_messages_that_ask_nothing_are_refused(ask, messages):
    answer = ask(*messages) if isinstance(messages, list) else ask(messages)
    error = answer.json()["error"]
    assert answer.status_code == 400 and set(error) >= {"message", "type", "param", "code"}


def test_parts_of_text_are_read_and_sampling_parameters_are_read_over(ask):
    parts = {"role": "user", "content": [{"type": "text", "text": FRANKFURT["content"]}]}
    answer = ask(
        parts,
        temperature=0.2,
        top_p=1,
        max_tokens=9,
        stop=["."],
        seed=1,
        tools=[],
        response_format={"type": "text"},
    )
    assert answer.status_code == 200 and "5 minutes" in answer.json()["choices"][0]["message"]["content"]


def test_a_program_that_names_nobody_asks_as_a_person_of_its_keys_own(ask, tenant, rival):
    first = ask(FRANKFURT, user=None).json()
    again = ask(DUBLIN, user=None, metadata={"session_id": first["antecedent"]["session"]})
    assert again.status_code == 200
    other = Program(key_of(tenant, "chat"))
    body = {
        "model": tenant.slug,
        "messages": [DUBLIN],
        "metadata": {"session_id": first["antecedent"]["session"]},
    }
    assert other("POST", "/v1/chat/completions", body).status_code == 404
    assert (
        Program(key_of(rival, "chat"))(
            "POST", "/v1/chat/completions", {**body, "model": rival.slug}
        ).status_code
        == 404
    )
