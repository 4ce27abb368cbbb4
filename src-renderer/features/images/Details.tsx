import './details.css'
import { ArrowUpRight } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Drawing, Image } from '../../../src-preload/contract/images.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import type { Client } from '../../api/connect.ts'
import { problemOf } from '../../api/problem.ts'
import { inSc, showFull, showMs, showSize } from '../../i18n/format.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { showCost } from '../../shared/money/cost.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { CopyButton } from '../../shared/ui/CopyButton.tsx'
import { InspectorSection } from '../../shared/ui/InspectorSection.tsx'
import { KeyValue } from '../../shared/ui/KeyValue.tsx'
import { madeByRow } from '../../shared/ui/MadeBy.tsx'
import { WithSc } from '../../shared/ui/WithSc.tsx'
import { useImages } from '../../stores/images.ts'
import { openRow } from './actions.ts'
import { Lineage } from './Lineage.tsx'

type ImageDetail = Awaited<ReturnType<Client['images']['get']>>

/** Delay before details are read, ms. While an arrow key is held down, only the details of the last image are read. */
const pause = 80

/** All facts of an image. `children` are between the prompt and the facts. */
export function Details({ image, children }: { image: Image; children?: ReactNode }) {
  const { t } = useTranslation('images')
  const { reported, problem, again } = useImageDetail(image.id)
  if (problem) return <ProblemNotice problem={problem} on={{ retry: again }} className="m-3" />
  const drawing = reported?.image.id === image.id ? reported.drawing : null
  const prompt = drawing?.prompt ?? image.prompt
  return (
    <section aria-label={t('details.label')} aria-busy={drawing === null} className="flex flex-col">
      <InspectorSection
        title={t('details.prompt')}
        aside={<CopyButton size="small" text={prompt} name={t('details.copyPrompt')} />}
      >
        <p dir="auto" className="images-prompt select-text">
          {prompt}
        </p>
      </InspectorSection>
      {children}
      <Facts image={image} drawing={drawing} />
      {drawing && <Request drawing={drawing} />}
      {reported && drawing && <Lineage lineage={reported.lineage} imageId={image.id} drawingId={drawing.id} />}
    </section>
  )
}

function useImageDetail(id: string) {
  const studio = useStudio()
  const [round, setRound] = useState(0)
  const [reported, setReported] = useState<ImageDetail | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  // Cost, time and rows change with the state of the image's drawing.
  const state = useImages(
    (store) => store.drawings.find(({ slots }) => slots.some((slot) => slot.imageId === id))?.state,
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: reads again on request, or when the drawing changed
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    const timer = setTimeout(() => {
      studio.images.get({ id }, { signal }).then(
        (answer) => {
          if (signal.aborted) return
          setReported(answer)
          setProblem(null)
        },
        (thrown: unknown) => signal.aborted || setProblem(problemOf(thrown)),
      )
    }, pause)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [studio, id, round, state])
  return { reported, problem, again: () => setRound(round + 1) }
}

function Facts({ image, drawing }: { image: Image; drawing: Drawing | null }) {
  const { t } = useTranslation('images')
  const { width, height, bytes, mime, createdAt, app } = image
  const place = drawing?.slots.find(({ imageId }) => imageId === image.id)?.index
  const note = (words: string): ReactNode => <span className="block font-normal text-faint">{words}</span>
  const rows = [
    {
      id: 'model',
      name: t('details.model'),
      value: (
        <>
          {t('details.modelOwn')}
          {drawing?.model != null && note(t('details.modelSent', { model: drawing.model }))}
        </>
      ),
    },
    {
      id: 'pixels',
      name: t('details.pixels'),
      value: (
        <>
          {`${width} × ${height}`}
          {drawing?.size != null && note(t('details.sizeSent', { size: drawing.size }))}
        </>
      ),
    },
    { id: 'bytes', name: t('details.bytes'), value: <span title={String(bytes)}>{showSize(bytes)}</span> },
    { id: 'type', name: t('details.type'), value: mime },
    { id: 'at', name: t('details.at'), value: <time dateTime={createdAt}>{showFull(createdAt)}</time> },
    ...madeByRow(app),
    ...(drawing?.tookMs == null ? [] : [{ id: 'took', name: t('details.took'), value: showMs(drawing.tookMs) }]),
    ...(drawing && place !== undefined && drawing.n > 1
      ? [{ id: 'place', name: t('details.place'), value: t('details.placeOf', { at: place + 1, all: drawing.n }) }]
      : []),
  ]
  return (
    <InspectorSection title={t('details.picture')}>
      <KeyValue rows={rows} />
    </InspectorSection>
  )
}

/** The cost of a drawing, and its requests. */
function Request({ drawing }: { drawing: Drawing }) {
  const { t } = useTranslation('images')
  const { cost, rows, n } = drawing
  return (
    <InspectorSection title={t('details.request')}>
      <KeyValue
        rows={[
          {
            id: 'cost',
            name: t('details.cost'),
            quiet: cost === null,
            value:
              cost === null ? (
                showCost(drawing)
              ) : (
                <span title={inSc(cost)}>
                  <WithSc text={showCost(drawing)} />
                  {n > 1 && <span className="block font-normal text-faint">{t('details.costAll', { count: n })}</span>}
                </span>
              ),
          },
        ]}
      />
      <ul className="mt-2 flex flex-col gap-1">
        {rows.map((id) => (
          <Row key={id} id={id} />
        ))}
      </ul>
    </InspectorSection>
  )
}

/** One request, with a link to the log. */
function Row({ id }: { id: number }) {
  const { t } = useTranslation('images')
  const studio = useStudio()
  const [row, setRow] = useState<RequestRow | 'gone' | null>(null)
  useEffect(() => {
    const ended = new AbortController()
    studio.requests.get({ id }, { signal: ended.signal }).then(
      ({ row: found }) => ended.signal.aborted || setRow(found),
      () => ended.signal.aborted || setRow('gone'),
    )
    return () => ended.abort()
  }, [studio, id])
  const took = row !== null && row !== 'gone' ? row.durationMs : null
  return (
    <li className="flex min-w-0 items-center gap-2">
      <span className="num truncate text-soft" title={row !== null && row !== 'gone' ? row.path : undefined}>
        {t('details.row', { id: String(id) })}
      </span>
      <span className="num ms-auto text-faint">
        {row === 'gone'
          ? t('details.rowGone')
          : row &&
            t('details.rowFacts', {
              status: String(row.status ?? row.state),
              time: took === null ? '' : showMs(took),
            })}
      </span>
      {row !== null && row !== 'gone' && (
        <Button
          size="small"
          variant="plain"
          icon={ArrowUpRight}
          aria-label={t('details.openRow', { id: String(id) })}
          onClick={() => openRow(id)}
        />
      )}
    </li>
  )
}
