-- An approval is of words: what a learning says now, and what somebody approved. Both are derived, as all else here.

alter table learning drop column approved;
alter table learning add column words text not null default '';
alter table learning add column approval text;
