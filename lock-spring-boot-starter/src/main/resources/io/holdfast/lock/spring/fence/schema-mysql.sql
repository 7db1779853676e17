create table if not exists holdfast_fence (
  lock_key varchar(64) character set ascii collate ascii_bin not null primary key,
  token bigint not null
) engine = InnoDB;
