import { useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { inspectorFitsQuery, listFitsQuery, toggleList } from '../../shared/listRegion.ts'
import { QuestionCards } from '../../shared/questions/QuestionCards.tsx'
import { Drawer } from '../../shared/ui/Dialog.tsx'
import { shortcut } from '../../shared/ui/platform.ts'
import { FrameContext, type FrameControls } from '../../shared/ui/StageBar.tsx'
import { StatusText } from '../../shared/ui/StatusText.tsx'
import { useMedia } from '../../shared/useMedia.ts'
import { WithTexts } from '../../shared/WithTexts.tsx'
import { appStore, useApp } from '../../stores/app.ts'
import { useRoute } from '../../stores/route.ts'
import { DataNotice, StorageNotice } from './DataNotice.tsx'
import { pageTexts, pageViews } from './pages.ts'
import { Rail } from './Rail.tsx'
import { StatusBar } from './StatusBar.tsx'
import { Welcome } from './Welcome.tsx'

const closeList = () => appStore.setState({ listDrawerOpen: false })
const closeInspector = () => appStore.setState({ inspectorShown: false })

const never = () => () => undefined
const always = () => true

/** Restores each page's choice of a shown or closed inspector. Without a choice, only an on-demand inspector starts closed. */
function useInspectorOfPage(page: keyof typeof pageViews, fits: boolean): void {
  const shown = useRef(new Map<string, boolean>())
  // A layout effect runs before the first paint, so that no inspector flashes.
  useLayoutEffect(() => {
    if (!fits) {
      closeInspector()
      return
    }
    const { current: remembered } = shown
    appStore.setState({ inspectorShown: remembered.get(page) ?? !pageViews[page].inspectorOnDemand })
    return () => void remembered.set(page, appStore.getState().inspectorShown)
  }, [page, fits])
}

/** How long the name of an opened page stays in its live region, ms. A text that stays would be read again after each dialog. */
const namedMs = 3_000

/** The page that was just opened, by its key, a link or the palette. Screen readers read its name. */
function useOpenedPage(page: keyof typeof pageViews): keyof typeof pageViews | null {
  const [opened, setOpened] = useState<keyof typeof pageViews | null>(null)
  const before = useRef(page)
  useEffect(() => {
    if (before.current === page) return
    before.current = page
    setOpened(page)
    const timer = setTimeout(setOpened, namedMs, null)
    return () => clearTimeout(timer)
  }, [page])
  return opened
}

/** The window: rail, list, stage, inspector, status bar. The inspector overlays the stage below 1100 px, the list below 840 px. */
export function Frame() {
  const { t } = useTranslation(['shell', 'common'])
  const route = useRoute()
  const listDrawerOpen = useApp((store) => store.listDrawerOpen)
  const listShown = useApp((store) => store.listShown)
  const inspectorShown = useApp((store) => store.inspectorShown)
  const firstRun = useApp(({ app }) => app?.connection.state === 'none' && app.connection.profile === null)
  const listFits = useMedia(listFitsQuery)
  const inspectorFits = useMedia(inspectorFitsQuery)
  const { List, Stage, Inspector, inspectorContent } = pageViews[route.page]
  const texts = pageTexts[route.page]
  const filled = useSyncExternalStore(inspectorContent?.subscribe ?? never, inspectorContent?.isThere ?? always)
  const welcome = firstRun && route.page === 'chat' && route.id === null

  // Closes a drawer when the route changes. Also closes an inspector that no longer fits, so that it does not cover the stage.
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends on the position only
  useEffect(closeList, [route, listFits])
  useInspectorOfPage(route.page, inspectorFits)
  const opened = useOpenedPage(route.page)

  const hasInspector = Inspector !== undefined && filled
  const hasList = List !== undefined
  const controls = useMemo<FrameControls>(
    () => ({
      list: hasList ? { shown: listFits && listShown, toggle: toggleList, shortcut: shortcut('B') } : null,
      inspector: hasInspector
        ? {
            shown: inspectorShown,
            toggle: () => appStore.setState(({ inspectorShown }) => ({ inspectorShown: !inspectorShown })),
            shortcut: shortcut('.'),
          }
        : null,
    }),
    [hasList, hasInspector, listFits, listShown, inspectorShown],
  )

  return (
    <div className="flex h-full flex-col">
      <div className="flex min-h-0 flex-1">
        <Rail />
        {List && listFits && listShown && !welcome && (
          <aside aria-label={t('list')} className="flex w-[16.75rem] shrink-0 flex-col bg-panel">
            <WithTexts of={texts}>
              <List />
            </WithTexts>
          </aside>
        )}
        <main className="flex min-h-0 min-w-0 flex-1 flex-col bg-bg">
          <FrameContext value={controls}>
            <QuestionCards />
            <StorageNotice />
            <DataNotice />
            {welcome ? (
              <Welcome />
            ) : (
              <WithTexts of={texts}>
                <Stage />
              </WithTexts>
            )}
          </FrameContext>
        </main>
        {Inspector && hasInspector && inspectorFits && inspectorShown && !welcome && (
          <aside
            aria-label={t('common:inspector')}
            className="relative flex w-[17rem] shrink-0 flex-col overflow-y-auto bg-panel text-s"
          >
            <WithTexts of={texts}>
              <Inspector />
            </WithTexts>
          </aside>
        )}
      </div>
      <StatusText>{opened !== null && t(`pages.${opened}`)}</StatusText>
      <StatusBar />
      {List && !listFits && (
        <Drawer side="left" label={t('list')} open={listDrawerOpen} onClose={closeList}>
          <WithTexts of={texts}>
            <List />
          </WithTexts>
        </Drawer>
      )}
      {Inspector && !inspectorFits && (
        <Drawer
          side="right"
          label={t('common:inspector')}
          open={hasInspector && inspectorShown}
          onClose={closeInspector}
        >
          <div className="relative flex min-h-0 flex-1 flex-col overflow-y-auto text-s">
            <WithTexts of={texts}>
              <Inspector />
            </WithTexts>
          </div>
        </Drawer>
      )}
    </div>
  )
}
