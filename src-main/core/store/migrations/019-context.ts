/**
 * What a request contains. `context_set` and `context_learned` are the context length of a model, in tokens: set by a person, and stated by
 * the service in an error. `left_out` messages stay in the history and are not sent. `summarised` marks a note that replaces earlier
 * messages on its branch: how many.
 */
export const sql = `
ALTER TABLE model_notes ADD COLUMN context_set INTEGER CHECK (context_set > 0);
ALTER TABLE model_notes ADD COLUMN context_learned INTEGER CHECK (context_learned > 0);
ALTER TABLE messages ADD COLUMN left_out INTEGER NOT NULL DEFAULT 0 CHECK (left_out IN (0, 1));
ALTER TABLE messages ADD COLUMN summarised INTEGER CHECK (summarised > 0);
`
