import { expect, test } from 'vitest'
import { readListing } from '../../../../src-main/core/features/tools/mcp/toolList.ts'

const server = { id: 'id', transport: { kind: 'http' as const, url: 'http://127.0.0.1:1', headers: [] } }

test('a server whose schemas take too long to check ends the checking of its list, and no other server waits for the rest', async () => {
  const raw = Array.from({ length: 500 }, (_, at) => ({ name: `tool ${at}`, inputSchema: { type: 'object' } }))
  let checks = 0
  const slow = async (): Promise<string[]> => {
    checks += 1
    await new Promise((resolve) => setTimeout(resolve, 15))
    return ['Checking took longer than 15 ms, so it was given up.']
  }
  const tools = await readListing(raw, server, slow, 40)
  expect(tools).toHaveLength(500)
  expect(checks).toBeLessThan(6)
  expect(tools[0]?.fault).toContain('took longer than 15 ms')
  expect(tools.at(-1)).toMatchObject({
    schema: '',
    fault: expect.stringMatching(/was not checked, because .* too long/),
  })
})
