import type { Tool } from '../../../../src-preload/contract/tools.ts'
import { openDataDir } from '../folder.ts'
import { exitCodes, printJson, say } from '../output.ts'
import type { Parts, ToolKeys } from '../parts.ts'

interface ToolsOptions {
  dataDir?: string
  json: boolean
}

export function addTool(name: string, options: ToolsOptions, parts: Parts): Promise<number> {
  return withToolKeys(options, parts, (keys) => {
    const { tool, key } = keys.add({ name })
    if (options.json) printJson({ id: tool.id, name: tool.name, key })
    else say(`Made a key for ${tool.name} (${tool.id}). It is shown this once:`, '', key, '')
  })
}

export function listTools(options: ToolsOptions, parts: Parts): Promise<number> {
  return withToolKeys(options, parts, (keys) => {
    const tools = keys.list()
    if (options.json) printJson(tools)
    else if (tools.length === 0) say('No tool keys yet. Make one: inference-studio tools add NAME')
    else say(...inColumns(tools))
  })
}

export function revokeTool(id: string, options: ToolsOptions, parts: Parts): Promise<number> {
  return withToolKeys(options, parts, (keys) => {
    const tool = keys.revoke(id)
    if (options.json) printJson(tool)
    else say(`Revoked ${tool.name} (${tool.id}).`)
  })
}

function inColumns(tools: readonly Tool[]): string[] {
  const rows = tools.map(({ id, name, createdAt, lastUsedAt, revokedAt }) => {
    const use = lastUsedAt ? `last used ${toMinute(lastUsedAt)}` : 'never used'
    return [id, name, `made ${toMinute(createdAt)}`, revokedAt ? `revoked ${toMinute(revokedAt)}` : use]
  })
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
}

/** `2026-11-21T05:21:06.396Z` as `2026-11-21 05:21 UTC`. */
const toMinute = (instant: string): string => `${instant.slice(0, 16).replace('T', ' ')} UTC`

async function withToolKeys(options: ToolsOptions, parts: Parts, use: (keys: ToolKeys) => void): Promise<number> {
  const keys = await parts.openToolKeys(await openDataDir(options.dataDir))
  try {
    use(keys)
  } finally {
    keys.close()
  }
  return exitCodes.ok
}
