PRAGMA application_id = 1414819691;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE model (
            sha256 TEXT PRIMARY KEY,
            size INTEGER NOT NULL,
            content BLOB NOT NULL
        ) STRICT
        ;
INSERT INTO "model" VALUES('9372c470eeadd5ecd9c3c74c2b3cb633f8e2f2fad799250a0f70d652b6b825e4',5,X'6D6F64656C');
CREATE TABLE run (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL,
            name TEXT NOT NULL,
            corpus_id TEXT NOT NULL,
            corpus_name TEXT NOT NULL,
            corpus_fingerprint TEXT NOT NULL,
            settings TEXT NOT NULL,
            rounds TEXT NOT NULL,
            sha256 TEXT NOT NULL REFERENCES model (sha256),
            created INTEGER NOT NULL
        ) STRICT
        ;
INSERT INTO "run" VALUES(1,'WDisaCAe8NEfuFIYY3OOGA','2744ccd10c7533bd736ad890f9dd5cab2adb27b07d500b9493f29cdc420cb2e0','첫 실험','ko','','ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff','{"vocab_size": 2000}','[{"number": 0}]','9372c470eeadd5ecd9c3c74c2b3cb633f8e2f2fad799250a0f70d652b6b825e4',1700000000);
CREATE TABLE text (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL,
            content BLOB NOT NULL
        ) STRICT
        ;
INSERT INTO "text" VALUES(1,'40717a8487c1de511167a3fc','2744ccd10c7533bd736ad890f9dd5cab2adb27b07d500b9493f29cdc420cb2e0',X'789C7BB5A1E175D30C000F4F0420');
CREATE INDEX run_by_owner ON run (owner);
CREATE INDEX run_by_model ON run (sha256);
CREATE INDEX text_by_owner ON text (owner);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('run',1);
INSERT INTO "sqlite_sequence" VALUES('text',1);
COMMIT;
