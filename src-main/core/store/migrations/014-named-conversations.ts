/** Whether a person wrote the title of a conversation. Titles from before this migration count as derived if they equal the derived one. */
export const sql = `
ALTER TABLE conversations ADD COLUMN named INTEGER NOT NULL DEFAULT 0;
`
