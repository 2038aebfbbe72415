module.exports = {
	resolve: {
		mainFields: ['module', 'main'],
	},
};
