/** The cost of conversations, read without their texts: the index contains every column that the sums need. */
export const sql = `
CREATE INDEX messages_by_cost ON messages (created_at, request_row, conversation_id, cost, usage) WHERE request_row IS NOT NULL;
`
