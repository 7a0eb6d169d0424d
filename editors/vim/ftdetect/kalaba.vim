autocmd BufNewFile,BufRead *.kal setfiletype kalaba
