create table holdfast_fence (
  lock_key varchar2(64) not null primary key,
  token number(19) not null
);
