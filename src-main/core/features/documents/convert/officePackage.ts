import { posix } from 'node:path'
import { Writable } from 'node:stream'
import { Parser } from 'htmlparser2'
import { StudioError } from '../../../errors.ts'
import { badInput, note } from '../../../shared/notes.ts'
import { type ZipBounds, type ZipEntry, ZipReader } from '../../../shared/zipReader.ts'

/** Limits of an office document, an OpenDocument or an EPUB, which are zip files. */
const bounds: ZipBounds = {
  maxEntries: 50_000,
  maxDirectoryBytes: 16 * 1024 * 1024,
  maxEntryBytes: 512 * 1024 * 1024,
  maxTotalBytes: 1024 ** 3,
  maxRatio: 200,
  suspectBytes: 16 * 1024 * 1024,
}
/** Elements inside each other. Real documents have fewer than 200. */
const maxDepth = 2000

/** Receives the elements of an XML file. Names have no prefix. */
export interface XmlHandlers {
  open(name: string, attributes: Record<string, string>): void
  close(name: string): void
  text?(text: string): void
}

/** What a converter does at the start or end of an element. */
export type XmlOpen = (attributes: Record<string, string>, element: string) => void
export type XmlClose = (element: string) => void

/** Entries of a map that treats several elements alike. */
export const eachOf = <T>(names: readonly string[], act: T): [string, T][] => names.map((name) => [name, act])

/** The value of an attribute, by its name without prefix. */
export function attribute(attributes: Record<string, string>, name: string): string | null {
  for (const key in attributes) {
    if (key === name || (key.endsWith(name) && key[key.length - name.length - 1] === ':'))
      return attributes[key] ?? null
  }
  return null
}

/** The value of an attribute as a whole number, or the fallback. */
export function numberAttribute(attributes: Record<string, string>, name: string, fallback: number): number {
  const value = Number(attribute(attributes, name) ?? Number.NaN)
  return Number.isSafeInteger(value) ? value : fallback
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/**
 * An XML parser that expands no entities but the five of XML and character references, reads no DTD and opens no address. So a
 * "billion laughs" document has no effect.
 */
export function xmlParser({ open, close, text }: XmlHandlers): Parser {
  let depth = 0
  return new Parser(
    {
      onopentag(name, attributes) {
        depth += 1
        if (depth > maxDepth) throw badInput(note('unreadable.deep'))
        open(localName(name), attributes)
      },
      onclosetag(name) {
        depth -= 1
        close(localName(name))
      },
      ontext: (piece) => text?.(piece),
    },
    { xmlMode: true, decodeEntities: true },
  )
}

/** A relation of a part to another part of the package, or to an external address. */
export interface Relation {
  type: string
  /** Entry name, or the address of an external relation. */
  target: string
  isExternal: boolean
}

/** Ends the reading of an entry of which enough was read. */
const enough = new StudioError('cancelled', 'The rest of the document is left out.')

/** A zip file with XML parts. */
export class OfficePackage {
  readonly #zip: ZipReader

  private constructor(zip: ZipReader) {
    this.#zip = zip
  }

  /** @throws StudioError `bad_input` */
  static open = async (path: string): Promise<OfficePackage> => new OfficePackage(await ZipReader.open(path, bounds))

  close = (): Promise<void> => this.#zip.close()
  has = (name: string): boolean => this.#zip.entries.has(name)
  names = (): string[] => [...this.#zip.entries.keys()]

  #entry(name: string): ZipEntry | null {
    return this.#zip.entries.get(name) ?? null
  }

  /** A small entry as text; null when it does not exist. @throws StudioError `bad_input` */
  async text(name: string, maxBytes = 32 * 1024 * 1024): Promise<string | null> {
    const bytes = await this.bytes(name, maxBytes)
    return bytes && new TextDecoder(xmlEncoding(bytes)).decode(bytes)
  }

  /** The bytes of a small entry; null when it does not exist. @throws StudioError `bad_input` */
  async bytes(name: string, maxBytes = 32 * 1024 * 1024): Promise<Buffer | null> {
    const entry = this.#entry(name)
    return entry && this.#zip.read(entry, maxBytes)
  }

  /**
   * Streams an XML entry through `handlers`. Returns false when it does not exist.
   * @param isDone asked from time to time; true ends the reading early
   * @throws StudioError `bad_input` when the entry is damaged or what a handler throws
   */
  async readXml(name: string, handlers: XmlHandlers, isDone: () => boolean = () => false): Promise<boolean> {
    const entry = this.#entry(name)
    if (!entry) return false
    const parser = xmlParser(handlers)
    let decoder: InstanceType<typeof TextDecoder> | null = null
    const sink = new Writable({
      write(chunk: Buffer, _, done) {
        try {
          decoder ??= new TextDecoder(xmlEncoding(chunk))
          parser.write(decoder.decode(chunk, { stream: true }))
          done(isDone() ? enough : null)
        } catch (thrown) {
          done(thrown instanceof Error ? thrown : new Error(String(thrown)))
        }
      },
    })
    try {
      await this.#zip.unpack(entry, sink)
    } catch (thrown) {
      if (thrown !== enough) throw thrown
    }
    parser.end()
    return true
  }

  /** The relations of a part, by id. @see ECMA-376 part 2, 6.5 (relationships) */
  async relations(part: string): Promise<Map<string, Relation>> {
    const found = new Map<string, Relation>()
    const folder = posix.dirname(part)
    const name = part === '' ? '_rels/.rels' : posix.join(folder, '_rels', `${posix.basename(part)}.rels`)
    await this.readXml(name, {
      open(element, attributes) {
        if (element !== 'Relationship') return
        const isExternal = attribute(attributes, 'TargetMode') === 'External'
        const given = attribute(attributes, 'Target') ?? ''
        const target = isExternal ? given : insidePath(folder, given)
        const type = (attribute(attributes, 'Type') ?? '').split('/').at(-1) ?? ''
        found.set(attribute(attributes, 'Id') ?? '', { type, target, isExternal })
      },
      close: () => undefined,
    })
    return found
  }

  /** The main part of an office document, by its relation. */
  async mainPart(fallback: string): Promise<string> {
    for (const { type, target } of (await this.relations('')).values()) {
      if (type === 'officeDocument' && this.has(target)) return target
    }
    if (this.has(fallback)) return fallback
    throw badInput(note('unreadable.mainPart'))
  }
}

/** An entry name from a path relative to a folder of the package. */
export function insidePath(folder: string, path: string): string {
  const plain = (path.split(/[?#]/)[0] ?? '').replaceAll('\\', '/')
  return posix
    .normalize(plain.startsWith('/') ? plain : posix.join(folder === '.' ? '' : folder, plain))
    .replace(/^(?:\.?\.?\/)+/, '')
}

/** XML without a byte order mark is UTF-8 (XML 1.0, appendix F); other declared encodings do not occur in office documents. */
function xmlEncoding(start: Uint8Array): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be'
  return 'utf-8'
}
