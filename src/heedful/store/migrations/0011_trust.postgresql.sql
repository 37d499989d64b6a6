-- An approval is of words: what a learning says now, and what somebody approved. Both are derived, as all else here.

alter table learning drop column approved;
alter table learning add column words text not null default '';
alter table learning add column approval text;

-- Whether the people that a key names are counted as so many people, or as one: whoever holds it.
alter table api_key add column for_many integer not null default 0;
