/**
 * `queued_messages` are messages of a conversation that wait for the end of a reply, in the order of `seq`. `id` becomes the id of the
 * message, and the row is deleted in the transaction that inserts it. `held`: waits for the person. `problem`: why it was not sent.
 * `without`: places of passages that the person removed from it.
 */
export const sql = `
CREATE TABLE queued_messages (
  seq              INTEGER PRIMARY KEY,
  id               TEXT NOT NULL UNIQUE,
  conversation_id  TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  role             TEXT NOT NULL,
  name             TEXT,
  text             TEXT NOT NULL,
  models           TEXT NOT NULL,
  attachments      TEXT NOT NULL,
  documents        TEXT NOT NULL,
  without          TEXT NOT NULL,
  held             INTEGER NOT NULL DEFAULT 0 CHECK (held IN (0, 1)),
  problem          TEXT,
  created_at       TEXT NOT NULL
) STRICT;
CREATE INDEX queued_by_conversation ON queued_messages (conversation_id);
CREATE TRIGGER queued_messages_took_files AFTER INSERT ON queued_messages BEGIN
  UPDATE media SET drafted = 0 WHERE drafted = 1 AND id IN (
    SELECT value ->> '$.mediaId' FROM json_each(new.attachments)
    UNION ALL SELECT value ->> '$.mediaId' FROM json_each(new.documents));
END;
`
