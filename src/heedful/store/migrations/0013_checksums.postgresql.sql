-- By which what was damaged on the disk is told from what was written. Null: written before there were any.

alter table feedback_event add column checksum bigint;   -- CRC-32 of all other columns
alter table learning_vector add column checksum bigint;  -- the same
