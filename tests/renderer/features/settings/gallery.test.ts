import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mcpTransport } from '../../../../src-preload/contract/tools.ts'
import {
  faultOfValue,
  formOfGallery,
  type GalleryServer,
  gallery,
} from '../../../../src-renderer/features/settings/tools/gallery.ts'
import { readServerForm } from '../../../../src-renderer/features/settings/tools/serverForm.ts'

const examples = { url: 'http://localhost:8080', secret: 'key-123', folders: '/home/ada/notes' }
const valuesFor = ({ fields }: GalleryServer) => Object.fromEntries(fields.map(({ id, kind }) => [id, examples[kind]]))

function added(id: GalleryServer['id'], values?: Record<string, string>) {
  const server = gallery.find((one) => one.id === id)
  if (!server) throw new Error(id)
  const read = readServerForm(formOfGallery(server, values ?? valuesFor(server), []), [])
  if (!read.server) throw new Error(JSON.stringify(read.errors))
  return read.server
}

describe('the gallery of MCP servers', () => {
  it('has servers that the contract accepts as they are', () => {
    for (const { id } of gallery) {
      const { transport } = added(id)
      expect(mcpTransport.parse(transport)).toEqual(transport)
    }
  })

  it('starts exact versions of packages, and contacts encrypted addresses only', () => {
    for (const { id } of gallery) {
      const { transport } = added(id)
      if (transport.kind === 'http') expect(transport.url).toMatch(/^https:/)
      else expect(transport.args.join(' ')).toMatch(/[\w-]@\d+\.\d+\.\d+( |$)/)
    }
  })

  it('puts keys into the secrets, never into the command', () => {
    expect(added('brave').secrets).toEqual({ BRAVE_API_KEY: 'key-123' })
    expect(added('github').secrets).toEqual({ Authorization: 'Bearer key-123' })
    expect(added('searxng').secrets).toEqual({ SEARXNG_URL: 'http://localhost:8080' })
    for (const { id } of gallery) expect(JSON.stringify(added(id).transport)).not.toContain('key-123')
  })

  it('gives each folder as one argument, whatever characters it has', () => {
    const folder = fc
      .string()
      .map((text) => `/f${text.replaceAll(/[\r\n]/g, '')}`)
      .map((text) => text.trim())
    fc.assert(
      fc.property(fc.array(folder, { minLength: 1, maxLength: 5 }), (folders) => {
        const { transport } = added('filesystem', { folders: folders.join('\n') })
        expect(transport.kind === 'stdio' && transport.args.slice(2)).toEqual(folders)
      }),
    )
  })

  it('refuses values that the server could not use', () => {
    expect(faultOfValue('url', ' ')).toBe('empty')
    expect(faultOfValue('url', 'localhost:8080')).toBe('url')
    expect(faultOfValue('url', 'javascript:alert(1)')).toBe('url')
    expect(faultOfValue('url', ' https://search.example ')).toBeNull()
    expect(faultOfValue('secret', 'two words')).toBe('token')
    expect(faultOfValue('secret', 'kéy')).toBe('token')
    expect(faultOfValue('secret', 'key')).toBeNull()
    expect(faultOfValue('folders', 'notes')).toBe('path')
    expect(faultOfValue('folders', '--help')).toBe('path')
    expect(faultOfValue('folders', '/a\nb')).toBe('path')
    expect(faultOfValue('folders', '/a\n\nC:\\b\n\\\\host\\share')).toBeNull()
  })

  it('gives a second server of the same kind another name', () => {
    const [server] = gallery
    if (!server) throw new Error('The gallery is empty.')
    const names = [server.name.toUpperCase(), `${server.name} 2`]
    expect(formOfGallery(server, {}, names).name).toBe(`${server.name} 3`)
  })
})
