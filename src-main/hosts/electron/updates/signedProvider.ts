import { type AppUpdater, Provider, type ResolvedUpdateFileInfo, type UpdateInfo } from 'electron-updater'
import { type ProviderRuntimeOptions, parseUpdateInfo, resolveFiles } from 'electron-updater/out/providers/Provider.js'
import { StudioError } from '../../../core/errors.ts'
import { checkSignature, type UpdateFeed } from './updateFeed.ts'

type FeedOptions = Exclude<Parameters<AppUpdater['setFeedURL']>[0], string>

/**
 * A feed of static files for electron-updater, with the publisher's signature beside each feed file (`latest-linux.yml.sig`). electron-updater
 * itself checks no signature on Linux, and that of the installer only on Windows and macOS.
 */
export function signedProvider(feed: UpdateFeed): FeedOptions {
  class SignedProvider extends Provider<UpdateInfo> {
    constructor(_options: unknown, _updater: unknown, runtimeOptions: ProviderRuntimeOptions) {
      super({ ...runtimeOptions, isUseMultipleRangeRequest: false })
    }

    /** @throws StudioError `bad_input` for a feed without a valid signature */
    async getLatestVersion(): Promise<UpdateInfo> {
      const name = `${this.getDefaultChannelName()}.yml`
      const url = new URL(name, feed.url)
      const text = await this.httpRequest(url)
      const signature = await this.httpRequest(new URL(`${name}.sig`, feed.url))
      if (text === null) throw new StudioError('bad_input', 'The update feed is empty.')
      checkSignature(text, signature, feed)
      return parseUpdateInfo(text, name, url)
    }

    resolveFiles(info: UpdateInfo): ResolvedUpdateFileInfo[] {
      return resolveFiles(info, feed.url)
    }

    /** electron-updater would send an id of this installation. */
    override setRequestHeaders(): void {
      super.setRequestHeaders({ accept: '*/*' })
    }
  }
  return { provider: 'custom', updateProvider: SignedProvider }
}
