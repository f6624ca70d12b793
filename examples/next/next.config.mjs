export default {
  // Node loads these packages itself; a bundled copy would not be the one that instrumentation.js patches.
  serverExternalPackages: ['msw', 'petstore-sim'],
};
