/** Texts of the gallery of MCP servers in Settings. */
export const mcpGallery = {
  title: 'Gallery of MCP servers',
  about: 'Well-known servers. Nothing is installed or started before you have seen the command and added the server.',
  addTitle: 'Add {{name}}',
  may: 'What it may do',
  needs: 'What it needs',
  source: 'Source',
  needed: {
    node: 'Node.js with npx on this computer. The first start downloads the package from the npm registry.',
    uv: 'uv with uvx on this computer. The first start downloads the package from PyPI.',
  },
  exact: 'Exact command or address',
  withEnv: 'With the variable {{names}}, stored in the keychain if there is one.',
  withHeaders: 'With the header {{names}}, stored in the keychain if there is one.',
  starts: 'This server is a program',
  connects: 'This server is a web address',
  warnHttp: 'Everything that the model puts into a call is sent there.',
  back: 'Back to the gallery',
  addOff: 'Add, turned off',
  addOn: 'Add and turn on',
  fields: { url: 'Address', secret: 'Key', folders: 'Folders, one per line' },
  hints: {
    url: 'The address of your SearXNG instance.',
    secret:
      'Stored in the keychain, or without one until Inference Studio ends. Given only to this server, and never shown again.',
    folders: 'Full paths. The server can reach these folders and everything in them.',
  },
  fault: {
    empty: 'Enter a value.',
    url: 'Enter an address that starts with https:// or http://.',
    path: 'Enter full paths, such as /home/ada/notes or C:\\Notes.',
    token: 'A key has no spaces and no special letters.',
  },
  servers: {
    searxng: {
      about: 'Searches the web through your own SearXNG instance, and reads pages.',
      may: 'Sends search terms to your instance, and fetches any web page that the model asks for.',
      needs: 'A SearXNG instance with the JSON format switched on.',
    },
    brave: {
      about: 'Searches the web, images, news and places with Brave Search.',
      may: 'Sends search terms to Brave, which may bill them to your account.',
      needs: 'An API key of Brave Search.',
    },
    fetch: {
      about: 'Reads web pages as Markdown.',
      may: 'Fetches any address that the model asks for, also in your own network.',
      needs: 'No key and no account.',
    },
    filesystem: {
      about: 'Reads, searches and changes files in folders that you choose.',
      may: 'Reads, creates, changes, moves and overwrites files in these folders. It limits itself to them.',
      needs: 'One or more folders. Choose none with secrets in it.',
    },
    github: {
      about: 'Repositories, issues, pull requests and workflows on GitHub.',
      may: 'Everything that your token may do. Use a fine-grained token with few permissions.',
      needs: 'A personal access token of GitHub.',
    },
    playwright: {
      about: 'Opens a browser window that the model controls.',
      may: 'Opens any page, fills in forms, uploads and downloads files, in a profile without your sign-ins. One of its tools runs any code on this computer.',
      needs: 'A Chrome browser on this computer.',
    },
  },
}
