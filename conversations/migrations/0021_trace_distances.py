"""How far back a turn reached, as columns: to draw them, no trace has to be read whole.

`d_live` is turns back to the antecedent, null for a turn that stood alone; `d_stale` turns back to the nearest mention of
something closed, 0 where nothing was. The database works them out when it writes the trace.
"""

from django.db import migrations, models
from django.db.models import F, Func

FUNCTIONS = """
create function trace_number(value jsonb) returns integer
language sql immutable parallel safe
return case
    when jsonb_typeof(value) = 'number' and value::numeric = trunc(value::numeric)
        and abs(value::numeric) < 1000000
    then value::integer
end;

create function trace_live_distance(data jsonb) returns integer
language sql immutable parallel safe
return case
    when trace_number(data #> '{scope,antecedent}') < trace_number(data #> '{memory,turn}')
    then trace_number(data #> '{memory,turn}') - trace_number(data #> '{scope,antecedent}')
end;

create function trace_stale_distance(data jsonb) returns integer
language sql immutable parallel safe
return coalesce(
    (
        select trace_number(data #> '{memory,turn}') - max(trace_number(mention))
        from jsonb_path_query(data, 'lax $.scope.closed[*].last_mention_turn') as mention
        where trace_number(mention) < trace_number(data #> '{memory,turn}')
    ),
    0
);
"""
NO_FUNCTIONS = """
drop function trace_stale_distance(jsonb);
drop function trace_live_distance(jsonb);
drop function trace_number(jsonb);
"""


def column(name, function):
    field = models.GeneratedField(
        expression=Func(F("data"), function=function),
        output_field=models.IntegerField(null=True),
        db_persist=True,
        editable=False,
    )
    return migrations.AddField("turntrace", name, field)


class Migration(migrations.Migration):
    dependencies = [("conversations", "0020_turn_counted")]

    operations = [
        migrations.RunSQL(FUNCTIONS, NO_FUNCTIONS),
        column("d_live", "trace_live_distance"),
        column("d_stale", "trace_stale_distance"),
    ]
