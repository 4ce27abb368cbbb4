/**
 * A deleted message moves, with everything below it, to a conversation of its own that is removed: so it can be restored for as long as deleted
 * conversations can, and nothing that searches, exports or counts conversations has to know of it. `part_of` is the conversation that the message
 * comes from, and `part_parent` the message above it, null for a first message.
 */
export const sql = `
ALTER TABLE conversations ADD COLUMN part_of TEXT;
ALTER TABLE conversations ADD COLUMN part_parent TEXT;
`
