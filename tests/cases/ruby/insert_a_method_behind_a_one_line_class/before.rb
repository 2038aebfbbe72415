class C; end
