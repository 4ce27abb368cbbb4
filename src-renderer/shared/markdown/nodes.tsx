import { ImageOff } from 'lucide-react'
import type { Definition, List, ListItem, RootContent } from 'mdast'
import type { KeyboardEvent, ReactNode } from 'react'
import { safeAddress } from './address.ts'
import { CitedProse } from './CitedProse.tsx'
import { CodeBlock } from './CodeBlock.tsx'
import { useMarkdownHost } from './context.ts'
import { BoundedText, revealed, revealedProse, spelled } from './hiddenCharacters.tsx'
import { definitionsIn } from './joinedBlocks.ts'
import { Formula, FormulaToCome } from './math/Formula.tsx'
import { useMarkdownTexts } from './messages.ts'
import { textOf } from './nodeText.ts'
import { TableView } from './Table.tsx'

/** Deeper nesting is drawn as text: a reply with ten thousand `>` must not exhaust the stack. */
const deepest = 24

interface Place {
  depth: number
  definitions: ReadonlyMap<string, Definition>
}

/**
 * React elements for the nodes of one block. Each known node type creates one known element with fixed attributes. Nothing of the reply
 * becomes a tag, attribute name, id, class or style.
 */
export function Nodes({ nodes }: { nodes: readonly RootContent[] }) {
  return draw(nodes, { depth: 0, definitions: definitionsIn(nodes) })
}

function draw(nodes: readonly RootContent[], place: Place): ReactNode[] {
  const deeper = { ...place, depth: place.depth + 1 }
  return nodes.map((node, at) => <Node key={nodeKey(node, at)} node={node} place={deeper} />)
}

const nodeKey = (node: RootContent, at: number): string => `${at}${node.type}`

function Node({ node, place }: { node: RootContent; place: Place }): ReactNode {
  if (place.depth > deepest) return textOf(node)
  switch (node.type) {
    case 'text':
      return <CitedProse text={node.value} />
    case 'formula':
      return node.open ? <FormulaToCome /> : <Formula tex={node.tex} source={node.value} display={node.display} />
    case 'paragraph':
      return <p dir="auto">{draw(node.children, place)}</p>
    case 'heading':
      return <Heading depth={node.depth}>{draw(node.children, place)}</Heading>
    case 'strong':
      return <strong>{draw(node.children, place)}</strong>
    case 'emphasis':
      return <em>{draw(node.children, place)}</em>
    case 'delete':
      return <del>{draw(node.children, place)}</del>
    case 'inlineCode':
      return (
        <code className="md-code" dir="ltr">
          {revealed(node.value)}
        </code>
      )
    case 'break':
      return <br />
    case 'thematicBreak':
      return <hr />
    case 'blockquote':
      return <blockquote dir="auto">{draw(node.children, place)}</blockquote>
    case 'list':
      return <ListView list={node} place={place} />
    case 'code':
      return <CodeBlock language={node.lang ?? ''} pieces={[node.value]} />
    case 'table':
      return <TableView table={node} label={(row, at) => draw(row.children[at]?.children ?? [], place)} />
    case 'link':
      return <Link url={node.url}>{draw(node.children, place)}</Link>
    case 'linkReference': {
      const url = place.definitions.get(node.identifier)?.url
      return url === undefined ? draw(node.children, place) : <Link url={url}>{draw(node.children, place)}</Link>
    }
    case 'image':
      return <ImagePlace url={node.url} alt={node.alt ?? ''} />
    case 'imageReference':
      return <ImagePlace url={place.definitions.get(node.identifier)?.url ?? ''} alt={node.alt ?? ''} />
    case 'footnoteReference':
      return <FootnoteMark label={node.label ?? node.identifier} />
    case 'footnoteDefinition':
      return <Footnote label={node.label ?? node.identifier}>{draw(node.children, place)}</Footnote>
    case 'html':
      return revealedProse(node.value)
    case 'plain':
      return (
        <PlainText>
          <BoundedText text={node.value} />
        </PlainText>
      )
    case 'definition':
    case 'yaml':
      return null
    case 'listItem':
    case 'tableRow':
    case 'tableCell':
      // Lists and tables draw these nodes. Outside of a list or table, their text is drawn.
      return textOf(node)
  }
}

/** Text that is not read as Markdown. The first of several in a row says so. */
export function PlainText({ children }: { children: ReactNode }) {
  const t = useMarkdownTexts()
  return (
    <div className="md-plain" dir="auto">
      <div className="md-plain-note">{t('plain')}</div>
      {children}
    </div>
  )
}

function Heading({ depth, children }: { depth: number; children: ReactNode }) {
  // The window uses h1 and h2, so a reply's headings start below.
  const Tag = depth === 1 ? 'h3' : depth === 2 ? 'h4' : depth === 3 ? 'h5' : 'h6'
  return (
    <Tag className={`md-h${Math.min(depth, 4)}`} dir="auto">
      {children}
    </Tag>
  )
}

function ListView({ list, place }: { list: List; place: Place }) {
  const items = list.children.map((item, at) => (
    <Item key={nodeKey(item, at)} item={item} loose={list.spread === true || item.spread === true} place={place} />
  ))
  if (list.ordered) return <ol start={list.start ?? 1}>{items}</ol>
  return <ul>{items}</ul>
}

function Item({ item, loose, place }: { item: ListItem; loose: boolean; place: Place }) {
  const t = useMarkdownTexts()
  const deeper = { ...place, depth: place.depth + 1 }
  const content = item.children.map((node, at) =>
    node.type === 'paragraph' && !loose ? (
      draw(node.children, place)
    ) : (
      <Node key={nodeKey(node, at)} node={node} place={deeper} />
    ),
  )
  if (typeof item.checked !== 'boolean') return <li dir="auto">{content}</li>
  return (
    <li className="md-task" dir="auto">
      <input type="checkbox" checked={item.checked} disabled aria-label={t(item.checked ? 'done' : 'notDone')} />
      {content}
    </li>
  )
}

/** The address of a link. Null when it may not be opened. */
function useLink(url: string): { address: string | null; open: () => void } {
  const { openLink, own } = useMarkdownHost()
  const link = own?.read(url)
  if (own && link) return { address: url, open: () => own.open(link) }
  const address = safeAddress(url)
  return { address, open: () => address !== null && openLink(address) }
}

/** A link has no href, so that nothing (middle click, drag, gesture) navigates. Its address is in the title. */
function Link({ url, children }: { url: string; children: ReactNode }) {
  const t = useMarkdownTexts()
  const { address, open } = useLink(url)
  if (address === null) return <span title={t('linkRefused', { address: spelled(url.slice(0, 300)) })}>{children}</span>
  const byKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') open()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: an anchor with an href would navigate on a middle click or a drag
    <span role="link" tabIndex={0} className="md-link" title={address} onClick={open} onKeyDown={byKey}>
      {children}
    </span>
  )
}

/** Images are never loaded: a request would reveal to a third party that and when the reply was read. */
function ImagePlace({ url, alt }: { url: string; alt: string }) {
  const t = useMarkdownTexts()
  const { address, open } = useLink(url)
  const shown = spelled(address ?? (url.length > 80 ? `${url.slice(0, 80)}…` : url))
  const content = (
    <>
      <ImageOff aria-hidden />
      <span className="md-alt">{revealedProse(alt) || t('image')}</span>
      <span className="md-address">{shown}</span>
      <span className="md-faint">{t('imageNotLoaded')}</span>
    </>
  )
  if (address === null) return <span className="md-image">{content}</span>
  return (
    <button type="button" className="md-image" title={address} onClick={open}>
      {content}
    </button>
  )
}

function FootnoteMark({ label }: { label: string }) {
  const t = useMarkdownTexts()
  return (
    <sup className="md-footmark" title={t('footnote', { label })}>
      {label}
    </sup>
  )
}

function Footnote({ label, children }: { label: string; children: ReactNode }) {
  const t = useMarkdownTexts()
  return (
    <aside className="md-footnote" aria-label={t('footnote', { label })}>
      <span className="md-footlabel">{label}</span>
      <div>{children}</div>
    </aside>
  )
}
