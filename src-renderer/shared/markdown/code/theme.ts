import type { ThemeRegistrationRaw } from 'shiki/core'

/**
 * Token kinds by the scopes of the grammars. The theme contains numbers instead of colours: code.css has the colours of both themes, and
 * nothing of a reply becomes a style.
 */
const kinds: readonly (readonly string[])[] = [
  /* 1 comment */ ['comment', 'punctuation.definition.comment', 'string.comment'],
  /* 2 keyword */ [
    'keyword',
    'storage',
    'storage.type',
    'storage.modifier',
    'keyword.operator.expression',
    'keyword.operator.new',
  ],
  /* 3 string */ [
    'string',
    'punctuation.definition.string',
    'markup.inline.raw',
    'markup.raw',
    'support.constant.property-value',
  ],
  /* 4 constant */ [
    'constant',
    'constant.language',
    'constant.numeric',
    'support.constant',
    'variable.language',
    'keyword.other.unit',
  ],
  /* 5 function */ [
    'entity.name.function',
    'support.function',
    'variable.function',
    'entity.name.command',
    'keyword.other.special-method',
  ],
  /* 6 type */ [
    'entity.name.type',
    'entity.name.class',
    'support.type',
    'support.class',
    'entity.other.inherited-class',
    'entity.name.namespace',
    'storage.type.java',
    'storage.type.cs',
  ],
  /* 7 property */ [
    'variable.other.property',
    'support.type.property-name',
    'meta.object-literal.key',
    'entity.other.attribute-name',
    'support.variable.property',
    'variable.other.object.property',
  ],
  /* 8 tag */ ['entity.name.tag', 'entity.name.selector', 'punctuation.definition.heading'],
  /* 9 sign */ ['keyword.operator', 'punctuation', 'meta.brace', 'punctuation.definition.tag'],
  /* 10 pattern */ ['string.regexp', 'constant.character.escape', 'constant.other.placeholder'],
  /* 11 added */ ['markup.inserted', 'meta.diff.header.to-file'],
  /* 12 removed */ ['markup.deleted', 'meta.diff.header.from-file', 'invalid'],
  /* 13 heading */ ['markup.heading', 'entity.name.section'],
  /* 14 bold */ ['markup.bold'],
  /* 15 italic */ ['markup.italic'],
  /* 16 link */ ['markup.underline.link', 'string.other.link', 'constant.other.reference.link'],
  /* 17 parameter */ ['variable.parameter'],
  /* 18 mark */ [
    'meta.decorator',
    'entity.name.function.decorator',
    'meta.preprocessor',
    'meta.diff.range',
    'entity.name.function.preprocessor',
  ],
]
/** Scopes of code inside of strings, which is coloured as code. */
const plainAgain = [
  'meta.template.expression',
  'meta.embedded',
  'source.embedded',
  'meta.interpolation',
  'variable.other',
]

export const markCount = kinds.length
const numbered = (kind: number): string => `#${kind.toString(16).padStart(6, '0')}`

/** The kind of a colour of the theme below. 0 for no kind. */
export const kindOf = (colour: string | undefined): number => {
  const kind = Number.parseInt(colour?.slice(1, 7) ?? '', 16)
  return kind > 0 && kind <= markCount ? kind : 0
}

export const theme: ThemeRegistrationRaw = {
  name: 'marks',
  settings: [
    { settings: { foreground: numbered(0xff_ff_ff), background: numbered(0xff_ff_fe) } },
    { scope: plainAgain, settings: { foreground: numbered(0xff_ff_ff) } },
    ...kinds.map((scope, at) => ({ scope: [...scope], settings: { foreground: numbered(at + 1) } })),
  ],
}
