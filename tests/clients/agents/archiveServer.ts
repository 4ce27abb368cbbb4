// An MCP server over stdio with sixty tools, as a program of its own.
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'

const inputSchema = z.object({
  number: z.int().describe('Number of the record, from 1.'),
  owner: z.string().optional().describe('Name of the owner as it is in the archive.'),
  from: z.string().optional().describe('First day, as YYYY-MM-DD.'),
  until: z.string().optional().describe('Last day, as YYYY-MM-DD.'),
  order: z.enum(['newest', 'oldest', 'largest']).optional().describe('Order of the rows.'),
  limit: z.int().min(1).max(500).optional().describe('Largest number of rows.'),
})

serveStdio(() => {
  const server = new McpServer({ name: 'archive', version: '1.0.0' })
  for (let kind = 0; kind < 60; kind += 1) {
    const description = `Looks up records of kind ${kind} in the archive by number, owner or a span of days, and returns the rows that match with their totals. Other kinds of records have tools of their own.`
    server.registerTool(`record_${kind}`, { description, inputSchema }, ({ number }) => ({
      content: [{ type: 'text', text: `Record ${number} of kind ${kind}.` }],
    }))
  }
  return server
})
