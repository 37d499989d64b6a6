-- A key that is over stays over, whatever the clock says later.
alter table api_key add column over_at bigint;    -- when it was first seen that it is over
