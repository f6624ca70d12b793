export default {
  // Node loads these itself: a bundler would make a second copy of what instrumentation.js patches.
  serverExternalPackages: ['msw', 'petstore-sim'],
};
