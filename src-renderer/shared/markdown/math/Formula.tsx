import { memo, useEffect, useMemo, useState } from 'react'
import { CopyTool } from '../CopyTool.tsx'
import { spelled } from '../hiddenCharacters.tsx'
import { useMarkdownTexts } from '../messages.ts'
import { elementsOf } from './elements.tsx'
import { buildFormula, knownFormula, longestTex } from './formulaCache.ts'
import type { FormulaAnswer } from './tree.ts'
import './math.css'

type Built = FormulaAnswer | 'waiting' | 'late' | 'long'

/** A formula. Shows its TeX when building takes longer than a second, and with the reason when it fails. */
export const Formula = memo(function Formula(props: { tex: string; source: string; display: boolean }) {
  const { tex, source, display } = props
  const t = useMarkdownTexts()
  const built = useBuilt(tex, display)
  const drawn = useMemo(() => (typeof built === 'object' && 'tree' in built ? elementsOf(built.tree) : null), [built])
  if (drawn === null) {
    const reason =
      built === 'late'
        ? t('formulaLate')
        : built === 'long'
          ? t('formulaLong', { most: longestTex })
          : typeof built === 'object' && 'reason' in built
            ? built.reason
            : null
    const failed = reason === null ? null : t('formulaFailed', { reason })
    return (
      <span
        className={display ? 'md-tex md-tex-block' : 'md-tex'}
        data-tex={source}
        data-failed={failed !== null}
        data-waiting={built === 'waiting'}
      >
        <code dir="ltr">{spelled(source)}</code>
        {failed !== null && <span className="md-tex-reason">{failed}</span>}
      </span>
    )
  }
  if (!display)
    return (
      <span className="md-formula" data-tex={source} dir="ltr">
        {drawn}
      </span>
    )
  return (
    <span className="md-formula-block" data-tex={source} dir="ltr">
      {/* biome-ignore lint/a11y/useSemanticElements: a paragraph cannot contain a fieldset */}
      <span
        className="md-formula-scroll"
        role="group"
        aria-label={t('formula')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls sideways must be reachable by keyboard (WCAG 2.1.1)
        tabIndex={0}
      >
        {drawn}
      </span>
      <span className="md-float">
        <CopyTool label={t('copyTex')} text={() => tex} />
      </span>
    </span>
  )
})

/** A formula of a growing text whose end has not arrived. Draws nothing, and loads what it will need. */
export function FormulaToCome(): null {
  useEffect(() => void buildFormula({ tex: 'x', display: false }), [])
  return null
}

function useBuilt(tex: string, display: boolean): Built {
  const start = (): Built => (tex.length > longestTex ? 'long' : (knownFormula({ tex, display }) ?? 'waiting'))
  const [state, setState] = useState<{ tex: string; built: Built }>(() => ({ tex, built: start() }))
  // The component may receive another formula while a block grows.
  const current = state.tex === tex ? state.built : start()
  useEffect(() => {
    if (tex.length > longestTex || knownFormula({ tex, display })) {
      return
    }
    let over = false
    void buildFormula({ tex, display }).then((answer) => {
      if (!over) setState({ tex, built: answer ?? 'late' })
    })
    return () => {
      over = true
    }
  }, [tex, display])
  return current
}
