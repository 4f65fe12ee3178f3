PRAGMA application_id = 1414819691;
PRAGMA user_version = 7;
BEGIN TRANSACTION;
CREATE TABLE answer (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            room INTEGER NOT NULL REFERENCES room (number) ON DELETE CASCADE,
            step TEXT NOT NULL,
            student TEXT NOT NULL,
            content TEXT NOT NULL,
            created INTEGER NOT NULL,
            is_hidden INTEGER NOT NULL DEFAULT 0, turn INTEGER NOT NULL DEFAULT 0,
            UNIQUE (room, step, student)
        ) STRICT
        ;
INSERT INTO "answer" VALUES(1,1,'tokens.ko','fbc7555ec0d5e1bc0f0c322f0f23f02fabf9166e4f2a5c19b82f8b90ee458f34','1',1795979517,0,3);
INSERT INTO "answer" VALUES(2,1,'tokens.ko','313d7aa08c5fc559e84f551d08e6a65394e6ee86599ded59b592fa5f2c4c134b','2',1795979517,0,1);
INSERT INTO "answer" VALUES(3,2,'tokens.en','e9de9dfded85142e591a3eddfc4b340f29239903829e2175c760a53c347a559f','1',1795979517,0,1);
CREATE TABLE corpus (
            sha256 TEXT PRIMARY KEY,
            size INTEGER NOT NULL,
            content BLOB NOT NULL
        ) STRICT
        ;
INSERT INTO "corpus" VALUES('2db7ddb08103610e28c0ce757f8eb44022ed3a0bb5bd5b31b693ccb815e806a9',39,X'789C011C00E3FFEB8298EBACB4EC979020EABD83EC9DB420ED94BCEC9788EB8BA42E0A112711A5');
CREATE TABLE model (
            sha256 TEXT PRIMARY KEY,
            size INTEGER NOT NULL,
            content BLOB NOT NULL
        ) STRICT
        ;
INSERT INTO "model" VALUES('9372c470eeadd5ecd9c3c74c2b3cb633f8e2f2fad799250a0f70d652b6b825e4',5,X'6D6F64656C');
CREATE TABLE phone (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        room INTEGER NOT NULL REFERENCES room (number) ON DELETE CASCADE,
        student TEXT NOT NULL,
        place INTEGER NOT NULL,
        joined INTEGER NOT NULL,
        is_gone INTEGER NOT NULL DEFAULT 0,
        UNIQUE (room, student)
    ) STRICT
    ;
INSERT INTO "phone" VALUES(1,1,'fbc7555ec0d5e1bc0f0c322f0f23f02fabf9166e4f2a5c19b82f8b90ee458f34',1,1795979517,0);
INSERT INTO "phone" VALUES(2,1,'313d7aa08c5fc559e84f551d08e6a65394e6ee86599ded59b592fa5f2c4c134b',2,1795979517,0);
INSERT INTO "phone" VALUES(3,2,'e9de9dfded85142e591a3eddfc4b340f29239903829e2175c760a53c347a559f',1,1795979517,0);
CREATE TABLE room (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            code TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL,
            language TEXT NOT NULL,
            step TEXT NOT NULL,
            is_open INTEGER NOT NULL,
            ends INTEGER NOT NULL,
            state TEXT NOT NULL,
            version INTEGER NOT NULL,
            expires INTEGER NOT NULL
        , kept_bytes INTEGER, takes_phones INTEGER NOT NULL DEFAULT 1, network TEXT NOT NULL DEFAULT '', resumes INTEGER) STRICT
        ;
INSERT INTO "room" VALUES(1,'3a50sOakYiHhwumH','YPPK','2744ccd10c7533bd736ad890f9dd5cab2adb27b07d500b9493f29cdc420cb2e0','ko','tokens.ko',1,0,'{"done": [], "own": 0, "owns": [], "roam": false, "paused": false, "attendance": false, "plan": "50", "lesson": "", "stage": "", "revealed": false, "window": ""}',2,4000000000,NULL,1,'2844ab83f6fe8cf2be509e164e853ebf57ab1851a6bb4ec18dc6a013286a6cef',NULL);
INSERT INTO "room" VALUES(2,'6ygtiNq5MBL5aqsW','6ygtiNq5MBL5aqsW','2744ccd10c7533bd736ad890f9dd5cab2adb27b07d500b9493f29cdc420cb2e0','en','tokens.en',0,0,'{"done": [], "own": 0, "owns": [], "roam": false, "paused": false, "attendance": false, "plan": "", "lesson": "", "stage": "", "revealed": false, "window": ""}',3,4000000000,1,1,'',NULL);
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
        , corpus TEXT REFERENCES corpus (sha256)) STRICT
        ;
INSERT INTO "run" VALUES(1,'3Q8fPBJ6e1yw96X85NvsPw','2744ccd10c7533bd736ad890f9dd5cab2adb27b07d500b9493f29cdc420cb2e0','첫 실험','ko','','ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff','{"vocab_size": 2000}','[{"number": 0}]','9372c470eeadd5ecd9c3c74c2b3cb633f8e2f2fad799250a0f70d652b6b825e4',1700000000,'2db7ddb08103610e28c0ce757f8eb44022ed3a0bb5bd5b31b693ccb815e806a9');
CREATE TABLE text (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL,
            content BLOB NOT NULL
        , created INTEGER NOT NULL DEFAULT 0, expires INTEGER NOT NULL DEFAULT 0) STRICT
        ;
INSERT INTO "text" VALUES(1,'40717a8487c1de511167a3fc','2744ccd10c7533bd736ad890f9dd5cab2adb27b07d500b9493f29cdc420cb2e0',X'789C7BB5A1E175D30C000F4F0420',1700000000,4000000000);
INSERT INTO "text" VALUES(2,'7bf3636b07d14718c10055bd','2744ccd10c7533bd736ad890f9dd5cab2adb27b07d500b9493f29cdc420cb2e0',X'789CABE652502AC928CD4B492D8A2FC9CF8E2FC849CC53B25230D401896796E4A402394A6F36AD5678D331E3CDF45625903850497A69623A582A3B1F2C949B99575A925A0C14B104718B4B520B409C682E05856A2006EA492D2ECE0799AC549058590CD2A380ACCB142290970FE1026D9C03446FE7752801C56B75E0C66467E6A580E49333F2339353A1C61414E5E7169480845FAFD9F2667AFB9BB95B14DEB62D78DBB8E1CDDC3DAF76F6BC9935C51EAA34393FAF24350FA2B6690650794C1E847E337D02544951667A0692020CA79AA03915EC422E8558AE5A00A9D87293',1700000000,4000000000);
CREATE INDEX run_by_owner ON run (owner);
CREATE INDEX run_by_model ON run (sha256);
CREATE INDEX text_by_owner ON text (owner);
CREATE INDEX room_by_owner ON room (owner);
CREATE INDEX run_by_corpus ON run (corpus);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('phone',3);
INSERT INTO "sqlite_sequence" VALUES('run',1);
INSERT INTO "sqlite_sequence" VALUES('text',2);
INSERT INTO "sqlite_sequence" VALUES('room',2);
INSERT INTO "sqlite_sequence" VALUES('answer',3);
COMMIT;
