export default {
  // Excludes these packages from the bundle, because instrumentation.js must patch the copy that Node loads.
  serverExternalPackages: ['msw', 'petstore-sim'],
};
