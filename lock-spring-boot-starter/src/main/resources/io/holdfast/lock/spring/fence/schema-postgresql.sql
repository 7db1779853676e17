create table if not exists holdfast_fence (
  lock_key varchar(64) not null primary key,
  token bigint not null
);
