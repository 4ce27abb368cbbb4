import type { ServerForm } from './serverForm.ts'
import { linesOf, newServer, secretRow } from './serverForm.ts'

/** A value that a server of the gallery needs. */
export interface GalleryField {
  id: string
  /** `folders`: absolute paths, one per line. `secret`: hidden while it is typed. All but `folders` are stored in the keychain. */
  kind: 'url' | 'secret' | 'folders'
  placeholder: string
}

/** A well-known MCP server. Its texts are in `settings.gallery.servers`, by id. */
export interface GalleryServer {
  id: 'searxng' | 'brave' | 'fetch' | 'filesystem' | 'github' | 'playwright'
  /** Name of the added server. A number is appended when it is in use. */
  name: string
  /** What must be installed on this computer. Null: nothing. */
  needs: 'node' | 'uv' | null
  /** Page of its authors, shown as text. */
  source: string
  fields: readonly GalleryField[]
  /** The transport for the given values. Versions are exact, so that the program that a person agreed to is the one that starts. */
  form(values: Readonly<Record<string, string>>): Partial<ServerForm>
}

const npx = (...args: string[]): Partial<ServerForm> => ({
  kind: 'stdio',
  command: 'npx',
  args: linesOf(['-y', ...args]),
})

/** Well-known servers, search first. Names and versions are those of the npm registry and PyPI. */
export const gallery: readonly GalleryServer[] = [
  {
    id: 'searxng',
    name: 'Web search (SearXNG)',
    needs: 'node',
    source: 'github.com/ihor-sokoliuk/mcp-searxng',
    fields: [{ id: 'SEARXNG_URL', kind: 'url', placeholder: 'http://localhost:8080' }],
    form: ({ SEARXNG_URL = '' }) => ({ ...npx('mcp-searxng@2.4.0'), env: [secretRow('SEARXNG_URL', SEARXNG_URL)] }),
  },
  {
    id: 'brave',
    name: 'Web search (Brave)',
    needs: 'node',
    source: 'github.com/brave/brave-search-mcp-server',
    fields: [{ id: 'BRAVE_API_KEY', kind: 'secret', placeholder: 'BSA…' }],
    form: ({ BRAVE_API_KEY = '' }) => ({
      ...npx('@brave/brave-search-mcp-server@2.1.4', '--transport', 'stdio'),
      env: [secretRow('BRAVE_API_KEY', BRAVE_API_KEY)],
    }),
  },
  {
    id: 'fetch',
    name: 'Fetch',
    needs: 'uv',
    source: 'github.com/modelcontextprotocol/servers',
    fields: [],
    form: () => ({ kind: 'stdio', command: 'uvx', args: linesOf(['mcp-server-fetch@2026.10.24']) }),
  },
  {
    id: 'filesystem',
    name: 'Filesystem',
    needs: 'node',
    source: 'github.com/modelcontextprotocol/servers',
    fields: [{ id: 'folders', kind: 'folders', placeholder: '/home/ada/notes' }],
    form: ({ folders = '' }) => npx('@modelcontextprotocol/server-filesystem@2026.8.31', ...pathsOf(folders)),
  },
  {
    id: 'github',
    name: 'GitHub',
    needs: null,
    source: 'github.com/github/github-mcp-server',
    fields: [{ id: 'token', kind: 'secret', placeholder: 'github_pat_…' }],
    form: ({ token = '' }) => ({
      kind: 'http',
      url: 'https://api.githubcopilot.com/mcp/',
      headers: [secretRow('Authorization', token === '' ? '' : `Bearer ${token}`)],
    }),
  },
  {
    id: 'playwright',
    name: 'Browser (Playwright)',
    needs: 'node',
    source: 'github.com/microsoft/playwright-mcp',
    fields: [],
    // An isolated profile: the browser of the model has none of the person's sign-ins.
    form: () => npx('@playwright/mcp@0.0.83', '--isolated'),
  },
]

export type GalleryFault = 'empty' | 'url' | 'path' | 'token'

const pathsOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Absolute on Linux and macOS, or on Windows with a drive or a share. */
const isAbsolute = (path: string): boolean => /^(?:\/|[A-Za-z]:[\\/]|\\\\[^\\])/.test(path)

/** What is wrong with a value, or null. */
export function faultOfValue(kind: GalleryField['kind'], text: string): GalleryFault | null {
  const value = text.trim()
  if (value === '') return 'empty'
  if (kind === 'url') return /^https?:\/\/[^\s]+$/i.test(value) && URL.canParse(value) ? null : 'url'
  if (kind === 'secret') return /^[\x21-\x7e]+$/.test(value) ? null : 'token'
  return pathsOf(value).every(isAbsolute) ? null : 'path'
}

/** The form of the server to add. @param others names of the other servers */
export function formOfGallery(
  server: GalleryServer,
  values: Readonly<Record<string, string>>,
  others: readonly string[],
): ServerForm {
  const trimmed = Object.fromEntries(Object.entries(values).map(([id, value]) => [id, value.trim()]))
  return { ...newServer, ...server.form(trimmed), name: freeName(server.name, others) }
}

function freeName(name: string, others: readonly string[]): string {
  const taken = new Set(others.map((other) => other.toLowerCase()))
  for (let number = 1; ; number++) {
    const tried = number === 1 ? name : `${name} ${number}`
    if (!taken.has(tried.toLowerCase())) return tried
  }
}
