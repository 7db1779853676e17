if object_id('holdfast_fence') is null
create table holdfast_fence (
  lock_key nvarchar(64) not null primary key,
  token bigint not null
);
